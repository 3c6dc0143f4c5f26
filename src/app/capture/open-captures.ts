// Captured prompts and answers: the queue, the thread that prepares them, and the file that stores them.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
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
import { CAPTURE_FILE, openCaptureStore } from '../../storage/open-capture-store.ts'
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
  /** Opens the store that nodes share; undefined if captures are a file in the data folder. */
  readonly openSharedCaptures: (() => CaptureStore) | undefined
  /** Secrets of the installation that are not in the configuration. */
  readonly ownSecrets: readonly string[]
  readonly telemetry: Pick<Telemetry, 'clock' | 'metrics' | 'disk' | 'warn'>
}

const PRUNE_EVERY_MS = 10 * MINUTE_MS
const MAX_UNPACKED_BYTES = 128 * 1024 ** 2

export async function openCaptures(
  { config, key, openSharedCaptures, ownSecrets, telemetry }: CaptureOptions,
  cleanup: AsyncDisposableStack,
): Promise<OpenCaptures> {
  const { clock, metrics, disk, warn } = telemetry
  const file = createLazyStore(config.dataFolder, openSharedCaptures)
  cleanup.defer(() => file.close())
  // Data that another secret sealed can no longer be read.
  if (key.state === 'lost' && file.exists()) await (await file.open()).deleteAll()
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
    store: file.open,
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
    if (file.exists())
      captures.prune().catch((error: unknown) => warn(`old captures cannot be deleted: ${reasonOf(error)}`))
    pruning = clock.startTimer(PRUNE_EVERY_MS, pruneAgain)
  }
  pruneAgain()
  return {
    captures,
    archive: createArchive({ file, key, captures }),
    change(next) {
      captures.change(next.capture)
      preparer.change(termsOf(next))
    },
  }
}

interface LazyStore {
  /** Whether there are captures, or may be. */
  exists(): boolean
  open(): Promise<CaptureStore>
  close(): Promise<void>
}

/** The connections are closed by their owner. */
function createSharedStore(store: CaptureStore): LazyStore {
  return { exists: () => true, open: async () => store, close: async () => undefined }
}

/** The file is created with the first capture. Without any capture, it does not exist. */
function createLazyStore(dataFolder: string, openShared: CaptureOptions['openSharedCaptures']): LazyStore {
  if (openShared !== undefined) return createSharedStore(openShared())
  let opening: Promise<CaptureStore> | undefined
  return {
    exists: () => opening !== undefined || existsSync(join(dataFolder, CAPTURE_FILE)),
    open() {
      opening ??= openCaptureStore(dataFolder).catch((error: unknown) => {
        opening = undefined
        throw error
      })
      return opening
    },
    close: async () => (await opening)?.close(),
  }
}

interface ArchiveParts {
  readonly file: LazyStore
  readonly key: DataKey
  readonly captures: Captures
}

function createArchive({ file, key, captures }: ArchiveParts): CaptureArchive {
  const sealer = createByteSealer(key.bytes, systemRandom)
  /** Undefined if there was never a capture. */
  const opened = async (): Promise<CaptureStore | undefined> => {
    await captures.flush()
    return file.exists() ? file.open() : undefined
  }
  return {
    get policy() {
      return captures.policy
    },
    isOn: () => isCaptureOn(captures.policy),
    page: async (query) => (await (await opened())?.page(query)) ?? { captures: [], hasMore: false },
    // A page of requests does not wait for captures in progress.
    findCaptured: async (ids) => (file.exists() ? (await file.open()).findCaptured(ids) : new Set()),
    totals: async () => (await (await opened())?.totals()) ?? { count: 0, bytes: 0 },
    delete: async (requestId) => (await (await opened())?.delete(requestId)) ?? false,
    deleteOfKey: async (key) => (await (await opened())?.deleteOfKey(key)) ?? 0,
    async read(requestId) {
      const stored = await (await opened())?.find(requestId)
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
