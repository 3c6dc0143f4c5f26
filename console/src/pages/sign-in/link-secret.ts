/**
 * The secret of the link by which the page was opened. It stands behind the `#`, which no browser sends anywhere, and
 * is removed from the address and the history at once.
 */
export function readLinkSecret(): string {
  const secret = decodeURIComponent(window.location.hash.slice(1))
  if (secret !== '') window.history.replaceState(window.history.state, '', window.location.pathname)
  return secret
}
