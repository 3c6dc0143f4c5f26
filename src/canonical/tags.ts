/** The labels of a request, for budgets and reports. */
export type Tags = Readonly<Record<string, string>>

/** The tag that names the caller's own customer. */
export const END_USER_TAG = 'end_user'

export const MAX_TAG_NAME_CHARACTERS = 64
export const MAX_TAG_VALUE_CHARACTERS = 256

export const tagName = new RegExp(`^[a-z0-9][a-z0-9._-]{0,${MAX_TAG_NAME_CHARACTERS - 1}}$`)
/** A valid tag value: printable characters without leading or trailing white space. */
export const tagValue = new RegExp(
  `^[^\\p{C}\\p{Z}](?:[^\\p{C}]{0,${MAX_TAG_VALUE_CHARACTERS - 2}}[^\\p{C}\\p{Z}])?$`,
  'u',
)
