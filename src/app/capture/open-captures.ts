// Captured prompts and answers: the queue, the thread that prepares them, and the file that stores them.
import { inflateRawSync } from 'node:zlib'
import type { CaptureArchive } from '../../admin/captures/capture-archive.ts'
import { type CaptureContent, sealContextOfCapture } from '../../capture/capture-content.ts'
import { isCaptureOn } from '../../capture/capture-mode.ts'
import type { CaptureStore } from '../../capture/capture-store.ts'
import { Captures } from '../../capture/captures.ts'
import type { Config } from '../../config/config.ts'
import { listSecrets } from '../../config/secrets/list-secrets.ts'
import { createByteSealer } from '../../kit/bytes/seal.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { systemRandom } from '../../kit/random/random.ts'
import type { Timer } from '../../kit/time/clock.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { DataKey } from '../../storage/open-data-key.ts'
import type { Telemetry } from '../monitoring/start-telemetry.ts'
import { createCapturePreparer } from './capture-preparer.ts'
import type { PrepareTerms } from './prepare-protocol.ts'

export interface OpenCaptures {
  readonly captures: Captures
  readonly archive: CaptureArchive
  change(config: Config): void
}

export interface CaptureOptions {
  readonly config: Config
  readonly key: DataKey
  readonly openCaptures: () => CaptureStore
  /** Secrets of the installation that are not in the configuration. */
  readonly ownSecrets: readonly string[]
  readonly telemetry: Pick<Telemetry, 'clock' | 'metrics' | 'disk' | 'warn'>
}

const PRUNE_EVERY_MS = 10 * MINUTE_MS
const MAX_UNPACKED_BYTES = 128 * 1024 ** 2

export async function openCaptures(
  { config, key, openCaptures: openStore, ownSecrets, telemetry }: CaptureOptions,
  cleanup: AsyncDisposableStack,
): Promise<OpenCaptures> {
  const { clock, metrics, disk, warn } = telemetry
  const store = openStore()
  cleanup.defer(() => store.close())
  // Data that another secret sealed can no longer be read.
  if (key.state === 'lost') await store.deleteAll()
  const termsOf = (now: Config): PrepareTerms => ({
    key: key.bytes,
    patterns: now.capture.redact,
    secrets: [...listSecrets(now), ...ownSecrets],
  })
  const preparer = createCapturePreparer(termsOf(config))
  cleanup.defer(() => preparer.close())
  const captures = new Captures({
    policy: config.capture,
    prepare: (ended) => preparer.prepare(ended),
    store,
    mayWrite: () => config.database !== undefined || disk.level === 'ample',
    clock,
    reports: { counted: metrics.captures.counted, warn },
  })
  cleanup.defer(() => captures.flush())
  metrics.captures.watch(() => captures.heldBytes)
  let pruning: Timer | undefined
  cleanup.defer(() => pruning?.cancel())
  function pruneAgain(): void {
    // Retention continues even if capture is off.
    captures.prune().catch((error: unknown) => warn(`old captures cannot be deleted: ${reasonOf(error)}`))
    pruning = clock.startTimer(PRUNE_EVERY_MS, pruneAgain)
  }
  pruneAgain()
  return {
    captures,
    archive: createArchive({ store, key, captures }),
    change(next) {
      captures.change(next.capture)
      preparer.change(termsOf(next))
    },
  }
}

interface ArchiveParts {
  readonly store: CaptureStore
  readonly key: DataKey
  readonly captures: Captures
}

function createArchive({ store, key, captures }: ArchiveParts): CaptureArchive {
  const sealer = createByteSealer(key.bytes, systemRandom)
  /** Writes the captures that wait, so that a read finds them. */
  const flushed = async (): Promise<CaptureStore> => {
    await captures.flush()
    return store
  }
  return {
    get policy() {
      return captures.policy
    },
    isOn: () => isCaptureOn(captures.policy),
    page: async (query) => (await flushed()).page(query),
    // A page of requests does not wait for captures in progress.
    findCaptured: (ids) => store.findCaptured(ids),
    totals: async () => (await flushed()).totals(),
    delete: async (requestId) => (await flushed()).delete(requestId),
    deleteOfKey: async (key) => (await flushed()).deleteOfKey(key),
    async read(requestId) {
      const stored = await (await flushed()).find(requestId)
      if (stored === undefined) return undefined
      const { content: sealed, ...summary } = stored
      const packed = sealer.open(sealed, sealContextOfCapture(requestId))
      if (packed === undefined) return { summary, content: undefined }
      const text = inflateRawSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES }).toString('utf8')
      const content: CaptureContent = JSON.parse(text)
      return { summary, content }
    },
  }
}
