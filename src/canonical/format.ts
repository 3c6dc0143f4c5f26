/** The wire formats that have a folder in `wire/`; a channel speaks one, a caller another or the same. */
export const formatIds = ['chat', 'messages'] as const
export type FormatId = (typeof formatIds)[number]

/**
 * Fields that only one format knows, kept as they came. Written back to the same format unchanged;
 * written to another format each field is a loss.
 */
export interface Extras {
  readonly format: FormatId
  readonly fields: import('../kit/json.ts').JsonObject
}
