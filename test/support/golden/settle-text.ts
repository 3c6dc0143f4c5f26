/** The parts that differ at every run: IDs that the gateway makes, times, and sealed reasoning. */
const patterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  // The second is the first in base64, as Gemini wants its signatures.
  ['sealed', /~headgate\.\d\.[\w+/=.~-]+/g],
  ['sealed', /\bfmhlYWRnYXRl[\w+/=-]+/g],
  ['id', /\b(?:chatcmpl|cmpl|msg|resp|rs|fc|call|toolu|req|item|ws|ctc|mcp|run)[-_][0-9a-zA-Z_-]{16,}\b/g],
  ['id', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g],
]

/** Replaces them by numbers in the order of their first appearance, so that equal ones stay equal. */
export function settleText(text: string): string {
  let settled = text
  for (const [kind, pattern] of patterns) {
    const names = new Map<string, string>()
    settled = settled.replace(pattern, (found) => {
      const name = names.get(found) ?? `<${kind} ${names.size + 1}>`
      names.set(found, name)
      return name
    })
  }
  return settled
    .replace(/("(?:createTime|created_at)":\s*)"[^"]+"/g, '$1"<time>"')
    .replace(/("(?:(?:total|prompt_eval|eval)_duration|latencyMs)":\s*)\d+/g, '$1"<time>"')
    .replace(/("(?:created|created_at|completed_at)":\s*)(?!1770000000\b)\d{10}(?:\.\d+)?/g, '$1"<time>"')
}
