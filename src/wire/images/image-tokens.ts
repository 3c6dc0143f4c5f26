import { countOf, readSent } from '../verbatim/read-count.ts'
import type { ScannedRequest } from '../wire-format.ts'

/**
 * The pixels of the largest image, in each direction and in all
 * (https://developers.openai.com/api/docs/guides/image-generation, seen 2026-11-24).
 */
const MAX_EDGE = 3_840
const MAX_PIXELS = 3_840 * 2_160
/** Tokens of the finest square that any model makes of 1024 pixels; larger ones cost by their patches of 16 pixels. */
const MIN_FINE_TOKENS = 8_192
const PATCH_PIXELS = 16
/** Each partial image of a stream costs as much besides. */
const PARTIAL_TOKENS = 100
/** An input costs as many tokens as its patches, at a size to which every model scales it. */
const INPUT_TOKENS = 8_192

/** The part of the finest image's tokens that a quality has. A quality that is left to the model counts as high. */
const parts: Readonly<Record<string, number>> = { low: 1 / 12, medium: 1 / 3, high: 1, xhigh: 2, max: 4 }

/** The most tokens that one image of the request can be. */
export function maxImageTokens(scanned: ScannedRequest): number {
  const { width, height } = pixelsOf(readSent(scanned, 'size')) ?? largest
  const fine = Math.max(MIN_FINE_TOKENS, patchesOf(width) * patchesOf(height) + patchesOf(height))
  const quality = readSent(scanned, 'quality')
  const part = (typeof quality === 'string' ? parts[quality] : undefined) ?? 1
  return Math.ceil(fine * part) + PARTIAL_TOKENS * partialImages(scanned)
}

export function maxInputImageTokens(inputs: number): number {
  return inputs * INPUT_TOKENS
}

/** The tokens that an image is taken to have where nothing states them. */
export function likelyImageTokens(scanned: ScannedRequest): number {
  const size = pixelsOf(readSent(scanned, 'size')) ?? { width: 1_024, height: 1_536 }
  const quality = readSent(scanned, 'quality')
  const part = (typeof quality === 'string' ? parts[quality] : undefined) ?? 1
  const patches = patchesOf(size.width) * patchesOf(size.height) + patchesOf(size.height)
  return Math.ceil(patches * part) + PARTIAL_TOKENS * partialImages(scanned)
}

export function imagesOf(scanned: ScannedRequest): number {
  return countOf(readSent(scanned, 'n'))
}

function partialImages(scanned: ScannedRequest): number {
  if (!scanned.isStream) return 0
  const sent = readSent(scanned, 'partial_images')
  return sent === undefined ? 0 : countOf(sent)
}

const largest = { width: MAX_EDGE, height: MAX_PIXELS / MAX_EDGE }

function patchesOf(pixels: number): number {
  return Math.ceil(Math.min(pixels, MAX_EDGE) / PATCH_PIXELS)
}

/** The pixels of a size such as `1536x1024`; undefined where the model chooses. */
export function pixelsOf(size: unknown): { readonly width: number; readonly height: number } | undefined {
  const [, width = '', height = ''] = (typeof size === 'string' && /^(\d{1,5})x(\d{1,5})$/.exec(size)) || []
  return width === '' || Number(width) === 0 || Number(height) === 0
    ? undefined
    : { width: Number(width), height: Number(height) }
}
