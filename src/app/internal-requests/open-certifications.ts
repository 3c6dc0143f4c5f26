// Connects certifications with the pipeline, with their store and with the audit log.
import type { AdminRoute } from '../../admin/admin-route.ts'
import { createCertificationRoutes } from '../../admin/certification/certification-routes.ts'
import { CertificationRunner } from '../../admin/certification/certification-runner.ts'
import { createCertificationOperations } from '../../admin/certification/manage-certifications.ts'
import { createTryChannel, type ServeChannelApart } from '../../admin/certification/try-channel.ts'
import type { LiveConfig } from '../../admin/config/live-config.ts'
import { redactListFault } from '../../catalog/list-fault.ts'
import { type Random, systemRandom } from '../../kit/random/random.ts'
import type { Clock, ReportFault } from '../../kit/time/clock.ts'
import type { DrainGate } from '../../server/drain-gate.ts'
import type { OpenKeys } from '../open-data-folder.ts'
import type { RequestPipeline } from '../open-pipeline.ts'
import { createCallChannel } from './call-channel.ts'

export interface OpenCertifications {
  readonly routes: readonly AdminRoute[]
  /** Cancels certifications in progress. Fulfilled when that is stored. */
  close(): Promise<void>
}

export interface CertificationParts {
  readonly pipeline: Pick<RequestPipeline, 'serve' | 'serveApart' | 'catalog' | 'providers' | 'redact'>
  readonly liveConfig: Pick<LiveConfig, 'state' | 'join'>
  readonly keys: Pick<OpenKeys, 'certifications' | 'audit'>
  readonly gate: DrainGate
  readonly clock: Clock
  readonly reportFault: ReportFault
}

export function openCertifications(
  parts: CertificationParts,
  cleanup: AsyncDisposableStack,
): OpenCertifications {
  const { pipeline, keys, gate, clock, reportFault } = parts
  const { serve, catalog, providers, redact } = pipeline
  const { certifications: store, audit } = keys
  const call = createCallChannel({ serve, catalog, providers, redact, gate, clock, pathOf })
  const createWord = () => makeWord(systemRandom)
  const tryChannel = createTryChannel({
    liveConfig: parts.liveConfig,
    registry: providers,
    serveApart: createServeChannelApart(parts),
    audit,
    clock,
    createWord,
  })
  const runner = new CertificationRunner({ call, store, clock, redact, reportFault, createWord })
  cleanup.defer(() => runner.close())
  const operations = createCertificationOperations({ catalog, store, runner, audit, clock })
  return { routes: createCertificationRoutes(operations, tryChannel), close: () => runner.close() }
}

const pathOf = (channel: string) => `/admin/v1/channels/${encodeURIComponent(channel)}/certifications`

const WORD_NUMBERS = 90_000

/** Creates a word from a name and a number with five digits. */
function makeWord(random: Random): string {
  return `lantern-${10_000 + Math.floor(random.fraction() * WORD_NUMBERS)}`
}

/** Creates the port through which a trial calls a channel that is not saved. */
function createServeChannelApart({
  pipeline,
  gate,
  clock,
}: Pick<CertificationParts, 'pipeline' | 'gate' | 'clock'>): ServeChannelApart {
  const { providers } = pipeline
  return async (config, channelName) => {
    const { serve, catalog, redact } = await pipeline.serveApart(config, channelName)
    const fault = catalog.listFaults().get(channelName)
    return {
      catalog: catalog.current(),
      listFault: fault && redactListFault(fault, redact),
      call: createCallChannel({ serve, catalog, providers, redact, gate, clock, pathOf: () => TRIALS }),
      redact,
      [Symbol.dispose]: () => catalog.close(),
    }
  }
}

const TRIALS = '/admin/v1/channel-trials'
