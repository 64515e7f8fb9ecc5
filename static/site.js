import "./vote.js";
