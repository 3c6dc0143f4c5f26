import { z } from 'zod'
import { parseJson } from '../../kit/json/parse-json.ts'
import type { StoredAttempt, StoredRequest } from '../../request-log/request-log-store.ts'
import type { PackedSummary } from './packed-summary.ts'
import { readAmount } from './request-summary.ts'

const text = z.string().nullable()
const number = z.number().nullable()

const count = z.number()
const countsSchema = z.tuple([
  count,
  count,
  count,
  count,
  count,
  count,
  count,
  count,
  count,
  count,
  count,
  count,
  count,
])

const usageSchema = z
  .tuple([countsSchema, z.record(z.string(), z.number()), z.number()])
  .transform(([counts, toolCalls, estimated]) => {
    const [fresh, cacheRead, writeShort, writeLong, output, reasoning, ...parts] = counts
    const [inputAudio, inputImage, outputAudio, accepted, rejected, cacheReadAudio, outputImage] = parts
    return {
      freshInputTokens: fresh,
      cacheReadTokens: cacheRead,
      cacheWriteShortTokens: writeShort,
      cacheWriteLongTokens: writeLong,
      outputTokens: output,
      reasoningTokens: reasoning,
      inputAudioTokens: inputAudio,
      inputImageTokens: inputImage,
      cacheReadAudioTokens: cacheReadAudio,
      outputAudioTokens: outputAudio,
      outputImageTokens: outputImage,
      acceptedPredictionTokens: accepted,
      rejectedPredictionTokens: rejected,
      toolCalls,
      isEstimated: estimated !== 0,
    }
  })

const lossSchema = z.tuple([z.string(), z.string(), text]).transform(([feature, kind, field]) => {
  return field === null ? { feature, kind } : { feature, kind, field }
})

const candidateSchema = z
  .tuple([z.string(), z.string(), text, text])
  .transform(([channel, upstreamModel, credentialId, excluded]) => {
    const candidate = { channel, upstreamModel, credentialId: credentialId ?? undefined }
    return excluded === null ? candidate : { ...candidate, excluded }
  })

const attemptSchema = z
  .tuple([
    z.string(),
    z.string(),
    text,
    z.string(),
    z.string(),
    number,
    text,
    number,
    number,
    z.number(),
    z.number(),
    usageSchema.nullable(),
    number,
    number,
  ])
  .transform(
    ([channel, upstreamModel, credentialId, lane, outcome, upstreamStatus, ...rest]): StoredAttempt => {
      const [cause, headMs, firstContentMs, totalMs, waitMs, usage, cost, charged] = rest
      return {
        channel,
        upstreamModel,
        credentialId: credentialId ?? undefined,
        lane,
        outcome,
        upstreamStatus: upstreamStatus ?? undefined,
        cause: cause ?? undefined,
        headMs: headMs ?? undefined,
        firstContentMs: firstContentMs ?? undefined,
        totalMs,
        waitMs,
        usage: usage ?? undefined,
        cost: readAmount(cost),
        charged: readAmount(charged),
      }
    },
  )

const detailSchema = z
  .tuple([
    z.string(),
    z.string(),
    z.string(),
    text,
    z.number(),
    z.number(),
    z.number(),
    usageSchema.nullable(),
    z.array(lossSchema),
    z.array(candidateSchema),
    z.array(attemptSchema),
    z.number(),
    z.number(),
    z.number(),
    // Rows of earlier versions end here, and so do rows of callers that do not name their client.
    z.string().optional(),
  ])
  .transform(([method, path, address, cause, callerLeft, ...rest]) => {
    const [bytesIn, bytesOut, usage, losses, candidates, attempts, ...last] = rest
    const [receiveMs, queueMs, recovered, client] = last
    return {
      method,
      path,
      address,
      client,
      cause: cause ?? undefined,
      callerLeft: callerLeft !== 0,
      bytesIn,
      bytesOut,
      usage: usage ?? undefined,
      losses,
      candidates,
      attempts,
      receiveMs,
      queueMs,
      isRecovered: recovered !== 0,
    }
  })

export type PackedDetail = Omit<StoredRequest, 'id' | keyof PackedSummary | keyof PackedSummary['shape']>

/** Reads the second line of a packed row. */
export function readPackedDetail(line: string): PackedDetail {
  return detailSchema.parse(parseJson(line))
}
