// Before anything is drawn, so that a chosen theme does not flash.
try { const theme = localStorage.getItem("gdr-theme"); if (theme) document.documentElement.dataset.theme = theme; } catch { /* none is kept */ }
