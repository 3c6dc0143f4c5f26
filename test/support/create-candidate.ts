import type { Capabilities } from '../../src/catalog/capabilities.ts'
import type { Candidate } from '../../src/routing/candidate.ts'
import { type ChannelParts, createChannel } from './create-channel.ts'

export interface CandidateParts extends Partial<Omit<ChannelParts, 'models' | 'credentials'>> {
  readonly key?: string
  readonly secret?: string
  readonly model?: string
  readonly capabilities?: Capabilities
}

/** A candidate of the channel `c` and its key `k1`, unless a test says otherwise. */
export function createCandidate(parts: CandidateParts = {}): Candidate {
  const { key = 'k1', secret = 'secret-of-8', model = 'm', capabilities = {}, name = 'c', ...channel } = parts
  const credential = { id: key, secret }
  return {
    target: {
      channel: createChannel({ ...channel, name, models: { [model]: model }, credentials: [credential] }),
      upstreamModel: model,
      capabilities,
    },
    credential,
    publicName: model,
    operation: 'conversation',
    isProbe: false,
  }
}
