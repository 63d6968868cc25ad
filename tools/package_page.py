"""Makes the README a page that can be read beside the package, where no checkout is."""

from __future__ import annotations

import re

from setuptools.command.egg_info import egg_info


def absolute(page: str, home: str) -> str:
    """The page, with links to files of the project leading to `home`."""
    return re.sub(r"\]\((?!\w+:|#)", f"]({home}/", page)


class MetadataWithPage(egg_info):
    """Writes the page into the metadata of what is built."""

    def finalize_options(self) -> None:
        """Replaces the README by the page, before it is written anywhere."""
        super().finalize_options()
        metadata = self.distribution.metadata
        home = vars(metadata)["project_urls"]["Homepage"]
        metadata.long_description = absolute(metadata.long_description or "", home)
