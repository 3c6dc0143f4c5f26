import { OperatorError } from '../../canonical/operator-error.ts'

/** Splits a list that is separated by commas. */
export function splitList(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** Adds the value of an option that may be repeated to its values before. */
export function addToList(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

/** Reads a tag such as `team=search`. Its value may contain an equals sign. */
export function readTagOption(text: string): readonly [name: string, value: string] {
  const equals = text.indexOf('=')
  if (equals === -1)
    throw new OperatorError('option_invalid', `"${text}" must be a name and a value, such as team=search`)
  return [text.slice(0, equals), text.slice(equals + 1)]
}
