import type { Channel } from '../../catalog/channel.ts'

/** Before the id of an inference profile: the group of regions that it calls. */
const profile = /^(?:us|eu|apac|au|jp|ca|us-gov|global)\./

/** Keys of other services are no models, and capacity that is rented is priced by the hour. */
export function readLitellmName(name: string): string | undefined {
  if (/^(?:\*\/|claude_platform\/|invoke\/|guardrails$)/.test(name)) return undefined
  return name.replace(/^bedrock_mantle\//, '')
}

/**
 * A region may have prices of its own, and so may a profile. The profile's model comes last: what serves in any region
 * costs as much. An ARN ends in the name, save that of a profile which an operator made: nothing tells its model.
 */
export function priceNamesOf(model: string, { settings }: Channel): readonly string[] {
  const name = model.startsWith('arn:') ? model.slice(model.lastIndexOf('/') + 1) : model
  const region = settings?.['region']
  const base = name.replace(profile, '')
  return [...(region === undefined ? [] : [`${region}/${name}`]), name, ...(base === name ? [] : [base])]
}
