// Runs before the page is painted, so that nobody sees the other theme first.
;(() => {
  try {
    const stored = localStorage.getItem('headgate.theme')
    if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored
  } catch {
    // The browser lets pages store nothing: the theme of the system stays.
  }
})()
