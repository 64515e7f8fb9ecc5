import "./vote.js";
import "./shortcuts.js";
