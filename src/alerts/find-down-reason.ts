import { kindOfReason } from './conditions/health-condition.ts'

/** The health of a channel, of one of its credentials, or of one model with one credential. */
export interface HealthPart {
  readonly scope: 'channel' | 'credential' | 'model'
  readonly credentialId: string | undefined
  readonly upstreamModel: string | undefined
  readonly state: 'healthy' | 'degraded' | 'open' | 'half-open'
  readonly reason: string | undefined
  /** The operations that the reason concerns; undefined if it concerns all. */
  readonly operations?: readonly string[] | undefined
}

/**
 * Finds why no part of a channel serves. Either the whole channel is out of rotation, or each of its credentials, or
 * each requested model with every credential that was tried. Undefined while a part serves, or if every problem has
 * its own alert.
 */
export function findDownReason(parts: readonly HealthPart[], credentialCount: number): string | undefined {
  const out = parts.filter(isOut)
  const whole = out.find(({ scope }) => scope === 'channel')
  if (whole !== undefined) return reasonOf([whole])
  const credentials = out.filter(({ scope }) => scope === 'credential')
  if (credentialCount > 0 && credentials.length >= credentialCount) return reasonOf(credentials)
  const outCredentials = new Set(credentials.map(({ credentialId }) => credentialId))
  const ofModels = parts.filter(({ scope }) => scope === 'model')
  if (ofModels.length === 0) return undefined
  const areAllOut = ofModels.every((part) => isOut(part) || outCredentials.has(part.credentialId))
  return areAllOut ? reasonOf([...credentials, ...ofModels.filter(isOut)]) : undefined
}

function isOut({ state, operations }: HealthPart): boolean {
  return (state === 'open' || state === 'half-open') && operations?.includes('conversation') !== false
}

function reasonOf(parts: readonly HealthPart[]): string | undefined {
  const passing = parts.filter(({ reason }) => reason === undefined || kindOfReason(reason) === undefined)
  return passing.length === 0 ? undefined : (passing[0]?.reason ?? 'failing')
}
