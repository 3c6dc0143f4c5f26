import { expect } from 'vitest'
import {
  type CertificationView,
  certificationListSchema,
  certificationSchema,
} from '../../../src/admin/certification/certification-contract.ts'
import type { createAskAdmin } from '../ask-admin.ts'
import { type ChannelText, channelYaml } from '../channel-yaml.ts'
import { startGateway } from '../start-gateway.ts'
import { untilAsync } from '../until.ts'
import { type CheckedFormat, openCheckedUpstream, type UpstreamFault } from './open-checked-upstream.ts'

export interface CheckedChannel {
  readonly format: CheckedFormat
  readonly faults?: readonly UpstreamFault[]
  /** The upstream's name of the model, by which the gateway knows what it takes. */
  readonly upstreamModel?: string
  readonly provider?: string
}

/** A gateway with one channel for each upstream, `c0`, `c1` and so on, which serves the model `m0`, `m1` … */
export async function openCheckedGateway(
  upstreams: readonly CheckedChannel[],
  cleanup: AsyncDisposableStack,
) {
  const channels: ChannelText[] = []
  for (const [index, { format, faults = [], upstreamModel = 'm', provider }] of upstreams.entries()) {
    const { origin } = cleanup.use(await openCheckedUpstream(format, faults))
    const models = { [`m${index}`]: upstreamModel }
    channels.push({ name: `c${index}`, format, origin, models, ...(provider && { provider }) })
  }
  return cleanup.use(await startGateway(channelYaml(...channels)))
}

export type Admin = ReturnType<typeof createAskAdmin>

export async function certifyChannel(
  admin: Admin,
  channel: string,
  checks?: readonly string[],
): Promise<CertificationView> {
  const body = checks === undefined ? {} : { checks }
  const started = await admin('POST', `/channels/${channel}/certifications`, { body })
  expect(started.status, started.text).toBe(202)
  const [first] = certificationListSchema.parse(started.body).data
  return waitForEnd(admin, first?.id ?? '')
}

export async function waitForEnd(admin: Admin, id: string): Promise<CertificationView> {
  let view: CertificationView | undefined
  await untilAsync('the certification ends', async () => {
    view = certificationSchema.parse((await admin('GET', `/certifications/${id}`)).body)
    return view.state !== 'queued' && view.state !== 'running'
  })
  if (view === undefined) throw new Error('no certification')
  return view
}

export function findingsOf({ results }: CertificationView): Record<string, string> {
  return Object.fromEntries(results.map(({ check, outcome, finding }) => [check, `${outcome} ${finding}`]))
}
