import "./vote.js";
import "./keys.js";
