const causes = {
  unknown: 'no channel and no alias has the model',
  denied: 'the key may not use the model',
} as const

/** The cause of a refusal of a model that is not there, or not for its key. `model` is undefined if it is no name. */
export function describeMissingModel(model: string | undefined, isPermitted: boolean): string {
  const asked = model === undefined ? ' that it asks for' : ` ${JSON.stringify(model)}`
  return `${isPermitted ? causes.unknown : causes.denied}${asked}`
}

/** The same for the owner of the key, who does not learn which of both it is. Undefined where no model is named. */
export function writeOwnCause(cause: string): string | undefined {
  const prefix = Object.values(causes).find((each) => cause.startsWith(`${each} "`))
  return prefix && `the key may use no model${cause.slice(prefix.length)}`
}
