const causes = {
  unknown: 'no channel and no alias has the model',
  denied: 'the key may not use the model',
} as const

/**
 * Describes why a model is refused: it does not exist, or the key may not use it. `model` is undefined where the
 * request gives no valid name.
 */
export function describeMissingModel(model: string | undefined, isPermitted: boolean): string {
  const subject = model === undefined ? ' that it asks for' : ` ${JSON.stringify(model)}`
  return `${isPermitted ? causes.unknown : causes.denied}${subject}`
}

/**
 * Writes the cause for the owner of the key, without revealing whether the model exists. Undefined where no model is
 * named.
 */
export function writeOwnCause(cause: string): string | undefined {
  const prefix = Object.values(causes).find((each) => cause.startsWith(`${each} "`))
  return prefix && `the key may use no model${cause.slice(prefix.length)}`
}
