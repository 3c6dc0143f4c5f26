/**
 * The secret of the link that opened the page. It is in the fragment after `#`, which browsers never send, and is
 * removed from the address and the history at once.
 */
export function readLinkSecret(): string {
  const secret = decodeURIComponent(window.location.hash.slice(1))
  if (secret !== '') window.history.replaceState(window.history.state, '', window.location.pathname)
  return secret
}
