// The thread that prepares captures: it joins streams, removes secrets, compresses and seals. None of that uses the
// thread of the requests.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { deflateRawSync } from 'node:zlib'
import {
  type CaptureContent,
  type CapturedAnswer,
  type CapturedBody,
  sealContextOfCapture,
} from '../../capture/capture-content.ts'
import { foldStream } from '../../capture/fold-stream.ts'
import { createByteSealer } from '../../kit/bytes/seal.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { createRedactor } from '../../telemetry/redact.ts'
import { channelFormats } from '../formats.ts'
import { type Clean, createCleaner } from './clean-text.ts'
import type {
  PrepareAsk,
  PreparedBody,
  PrepareMessage,
  PrepareReply,
  PrepareTerms,
} from './prepare-protocol.ts'

const COMPRESSION_LEVEL = 1

if (parentPort !== null) serve(parentPort, workerData)

function serve(port: MessagePort, first: PrepareTerms): void {
  let preparer = createPreparer(first)
  port.on('message', (message: PrepareMessage) => {
    if (message.type === 'close') return port.close()
    if (message.type === 'terms') {
      preparer = createPreparer(message.terms)
      return
    }
    port.postMessage(answer(message, preparer))
  })
}

type Prepare = (ask: PrepareAsk) => Uint8Array

function answer(ask: PrepareAsk, prepare: Prepare): PrepareReply {
  try {
    return { id: ask.id, content: prepare(ask) }
  } catch (error) {
    return { id: ask.id, reason: reasonOf(error) }
  }
}

function createPreparer({ key, secrets, patterns }: PrepareTerms): Prepare {
  const sealer = createByteSealer(key, systemRandom)
  const clean = createCleaner(createRedactor(secrets), patterns)
  return (ask) => {
    const content: CaptureContent = {
      prompt: ask.prompt && preparePrompt(ask.prompt, ask.maxBodyBytes, clean),
      answer: ask.answer && prepareAnswer(ask.answer, ask, clean),
    }
    const packed = deflateRawSync(JSON.stringify(content), { level: COMPRESSION_LEVEL })
    return sealer.seal(packed, sealContextOfCapture(ask.requestId))
  }
}

function preparePrompt({ bytes, totalBytes }: PreparedBody, maxBytes: number, clean: Clean): CapturedBody {
  return cut(clean(decode(bytes)), { totalBytes, maxBytes, isWhole: bytes.length >= totalBytes })
}

function prepareAnswer(
  { bytes, totalBytes }: PreparedBody,
  { operation, isStream, isCut, maxBodyBytes: maxBytes }: PrepareAsk,
  clean: Clean,
): CapturedAnswer {
  const format = Object.entries(channelFormats).find(([id]) => id === operation)?.[1]
  const folded = isStream ? foldStream(Buffer.from(bytes), format?.createStreamReader()) : undefined
  const isWhole = bytes.length >= totalBytes
  const text = clean(folded ?? decode(bytes))
  return {
    ...cut(text, { totalBytes, maxBytes, isWhole }),
    form: folded === undefined ? 'raw' : 'folded',
    isStream,
    isCut,
  }
}

interface CutTerms {
  readonly totalBytes: number
  readonly maxBytes: number
  /** Whether the text has all bytes of the body. */
  readonly isWhole: boolean
}

function cut(text: string, { totalBytes, maxBytes, isWhole }: CutTerms): CapturedBody {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return { text, bytes: totalBytes, isTruncated: !isWhole }
  return { text: decode(bytes.subarray(0, maxBytes)), bytes: totalBytes, isTruncated: true }
}

/** Omits a character at the end that is incomplete. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true })
}
