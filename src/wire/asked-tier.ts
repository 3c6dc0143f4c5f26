/**
 * The usual tier and no dearer one, as callers ask for it: `default` (chat, responses), `standard_only` (messages),
 * `standard` and `unspecified` (Gemini), by the types of the official SDKs, seen 2026-11-22.
 */
const standardWords: ReadonlySet<string> = new Set(['default', 'standard_only', 'standard', 'unspecified'])

export function asksForStandard(tier: string): boolean {
  return standardWords.has(tier)
}
