/** Gives the parameter that the official clients add where they ask for a beta; no other goes on. */
export function forwardQuery(query: string): string {
  return query !== '' && new URLSearchParams(query).get('beta') === 'true' ? '?beta=true' : ''
}
