"""The parts of the engine that programs import."""
