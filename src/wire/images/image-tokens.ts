import { countOf, readSent } from '../verbatim/read-count.ts'
import type { ScannedRequest } from '../wire-format.ts'

/**
 * The size limits of the largest image: the length of an edge and the total number of pixels
 * (https://developers.openai.com/api/docs/guides/image-generation, seen 2026-11-24).
 */
const MAX_EDGE = 3_840
const MAX_PIXELS = 3_840 * 2_160
/**
 * The tokens of a square image of 1024 pixels in the highest quality of any model. Larger images cost by their patches
 * of 16 pixels.
 */
const MIN_FINE_TOKENS = 8_192
const PATCH_PIXELS = 16
/** The additional cost of each partial image of a stream. */
const PARTIAL_TOKENS = 100
/** The tokens of an input image. They equal its patches, at a size to which every model scales the image. */
const INPUT_TOKENS = 8_192

/**
 * The share of the tokens of `high` for each quality. Where the model chooses the quality, the share of `high` applies.
 */
const parts: Readonly<Record<string, number>> = { low: 1 / 12, medium: 1 / 3, high: 1, xhigh: 2, max: 4 }

/** Returns the maximum number of tokens that one image of the request can cost. */
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

/** Returns the estimated tokens of an image, where no usage is reported. */
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

/** Reads the pixels of a size such as `1536x1024`; undefined where the model chooses the size. */
export function pixelsOf(size: unknown): { readonly width: number; readonly height: number } | undefined {
  const [, width = '', height = ''] = (typeof size === 'string' && /^(\d{1,5})x(\d{1,5})$/.exec(size)) || []
  return width === '' || Number(width) === 0 || Number(height) === 0
    ? undefined
    : { width: Number(width), height: Number(height) }
}
