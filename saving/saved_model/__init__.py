"""SavedModels: builder, loader, signatures."""
