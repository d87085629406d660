import sys
from pathlib import Path

# The fixture toolset is a module of the tests, importable by every file here.
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "api"))
