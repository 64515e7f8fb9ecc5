// Every page works without scripts; these only improve it.
import "./vote.js";
import "./shortcuts.js";
