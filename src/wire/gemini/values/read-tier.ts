import type { ServedTier } from '../../../canonical/served-tier.ts'
import { isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { readServedTier } from '../../served-tier.ts'

/** Google Cloud's names of the tiers that have their own price (`TrafficType`, @google/genai 3.1.0). */
const trafficTiers: Readonly<Record<string, ServedTier>> = {
  ON_DEMAND_PRIORITY: 'priority',
  ON_DEMAND_FLEX: 'flex',
}

/** Reads the service tier of an answer, which is next to the token counts. */
export function readTier(usageMetadata: JsonValue | undefined): ServedTier | undefined {
  if (!isJsonObject(usageMetadata)) return undefined
  const { serviceTier, trafficType } = usageMetadata
  const named = readServedTier('gemini', serviceTier)
  if (named !== undefined || typeof trafficType !== 'string') return named
  return Object.hasOwn(trafficTiers, trafficType) ? trafficTiers[trafficType] : undefined
}
