import type { ModelListStyle } from './listed-model.ts'

export interface StyleSource {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly hasQueryKey: boolean
}

/** Which client family asks, by what it always sends. */
export function chooseStyle({ headers, hasQueryKey }: StyleSource): ModelListStyle {
  if (headers['anthropic-version'] !== undefined) return 'messages'
  if (headers['x-goog-api-key'] !== undefined || hasQueryKey) return 'gemini'
  return 'chat'
}
