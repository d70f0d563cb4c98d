"""masking: secrets are taken out of all that a run says and keeps."""
