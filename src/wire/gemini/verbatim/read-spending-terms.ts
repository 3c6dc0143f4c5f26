import { isJsonArray, isJsonObject } from '../../../kit/json/json.ts'
import { watchedWords } from '../../../kit/json/watched-words.ts'
import { type CallerLabels, readTags } from '../../caller-labels.ts'
import { possibleTiers } from '../../requested-tier.ts'
import { type BilledTool, type SpendingTerms, termsWithoutOutput } from '../../spending-terms.ts'
import { type BodySearch, fieldMayHold } from '../../verbatim/find-in-body.ts'
import { capOf, countOf, readSent } from '../../verbatim/read-count.ts'
import { fieldValue } from '../../verbatim/scan-body.ts'
import { type ScannedMember, scanMember } from '../../verbatim/scan-member.ts'
import type { ScannedRequest } from '../../wire-format.ts'
import { findField } from './find-field.ts'

const media: BodySearch = {
  words: watchedWords({ names: ['inlineData', 'inline_data', 'fileData', 'file_data'] }),
  pattern: /"(?:inline_?data|file_?data)"\s*:/i,
}

export function readSpendingTerms(scanned: ScannedRequest): SpendingTerms {
  const config = findMember(scanned, 'generationConfig')
  const tier = sentIn(scanned, 'serviceTier')
  return {
    maxOutputTokens: capOf([sentIn(config, 'maxOutputTokens')]),
    canBeCapped: true,
    choices: countOf(sentIn(config, 'candidateCount')),
    serviceTiers: possibleTiers('gemini', typeof tier === 'string' ? tier.toLowerCase() : undefined),
    asksForAudio: asksForAudio(sentIn(config, 'responseModalities')),
    toolCallCap: undefined,
    billedTools: () => findTools(sentIn(scanned, 'tools')),
    hasMedia: () => hasMedia(scanned),
    hasStoredInput: () => sentIn(scanned, 'cachedContent') !== undefined,
    // Callers create cached content with a separate request, so this request writes no cache.
    cacheMarks: () => 'none',
  }
}

function findMember(member: ScannedMember, name: string): ScannedMember | undefined {
  const field = findField(member, name)
  return field && scanMember(member, field)
}

/** The value of a field. Undefined if the field is absent or null, which mean the same. */
function sentIn(member: ScannedMember | undefined, name: string): unknown {
  const field = member && findField(member, name)
  return member === undefined || field === undefined
    ? undefined
    : (fieldValue(member.body, field) ?? undefined)
}

/** `GenerationConfig.Modality.AUDIO` of google.cloud.aiplatform.v1 (seen 2026-11-23). Proto JSON allows numbers too. */
const AUDIO_NUMBER = 3

function asksForAudio(modalities: unknown): boolean {
  if (!isJsonArray(modalities)) return false
  return modalities.some((one) => one === AUDIO_NUMBER || (typeof one === 'string' && /^audio$/i.test(one)))
}

/** Tools with calls that are counted and billed under another name than the field that requests the tool. */
const countedNames: ReadonlyMap<string, string> = new Map([
  ['googleSearch', 'web_search'],
  ['googleSearchRetrieval', 'web_search'],
  ['enterpriseWebSearch', 'web_search'],
  ['googleMaps', 'google_maps'],
])

/** Finds the billed tools. A tool is an object with one member, its name. All but functions belong to the provider. */
function findTools(tools: unknown): readonly BilledTool[] {
  const names = (isJsonArray(tools) ? tools : [])
    .flatMap((tool) => (isJsonObject(tool) ? Object.keys(tool) : []))
    .map((name) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()))
    .filter((name) => name !== 'functionDeclarations')
  return [...new Set(names)].map((name) => ({ name: countedNames.get(name) ?? name, maxCalls: undefined }))
}

/** The spending terms of an embedding request with one or many contents. */
export function readEmbeddingTerms(scanned: ScannedRequest): SpendingTerms {
  return { ...termsWithoutOutput, hasMedia: () => hasMedia(scanned) }
}

const holders = ['contents', 'systemInstruction', 'content', 'requests'] as const

function hasMedia(scanned: ScannedRequest): boolean {
  return holders.some((name) => fieldMayHold(scanned.body, findField(scanned, name), media))
}

/** `labels` are those of Google Cloud's billing; the format has no field for a user. */
export function readCallerLabels(scanned: ScannedRequest): CallerLabels {
  return { endUser: undefined, tags: readTags(readSent(scanned, 'labels')) }
}
