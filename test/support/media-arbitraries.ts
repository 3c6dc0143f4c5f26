import fc from 'fast-check'
import type {
  AudioBlock,
  DocumentBlock,
  ImageBlock,
  MediaSource,
  VideoBlock,
} from '../../src/canonical/content.ts'
import {
  type ArbitraryOptions,
  allows,
  type BlockSite,
  blockExtras,
  cacheMarkField,
  fieldWhere,
} from './arbitrary-options.ts'
import { base64Arbitrary, textArbitrary, urlArbitrary, wordArbitrary } from './value-arbitraries.ts'

const plain = { noNullPrototype: true } as const

const mediaSourceArbitrary = (mediaTypes: readonly string[]): fc.Arbitrary<MediaSource> =>
  fc.oneof(
    fc.record(
      {
        type: fc.constant('base64' as const),
        mediaType: fc.constantFrom(...mediaTypes),
        data: base64Arbitrary,
      },
      plain,
    ),
    fc.record({ type: fc.constant('url' as const), url: urlArbitrary }, plain),
    fc.record(
      { type: fc.constant('file' as const), fileId: wordArbitrary.map((word) => `file_${word}`) },
      plain,
    ),
  )

export function imageBlockArbitrary(
  options: ArbitraryOptions,
  position: BlockSite = 'request',
): fc.Arbitrary<ImageBlock> {
  return fc.record(
    {
      type: fc.constant('image' as const),
      source: mediaSourceArbitrary(['image/png', 'image/jpeg']),
      ...fieldWhere(allows(options, 'image-detail'), 'detail', fc.constantFrom('auto', 'low', 'high')),
      ...cacheMarkField(options, position),
      ...blockExtras(options),
    },
    { requiredKeys: ['type', 'source'], ...plain },
  )
}

export function documentBlockArbitrary(options: ArbitraryOptions): fc.Arbitrary<DocumentBlock> {
  const text = fc.record({ type: fc.constant('text' as const), text: textArbitrary }, plain)
  return fc.record(
    {
      type: fc.constant('document' as const),
      source: fc.oneof(mediaSourceArbitrary(['application/pdf']), text),
      title: textArbitrary,
      context: textArbitrary,
      ...cacheMarkField(options, 'request'),
      ...blockExtras(options),
    },
    { requiredKeys: ['type', 'source'], ...plain },
  )
}

/** Audio that a caller sends. */
export function spokenBlockArbitrary(options: ArbitraryOptions): fc.Arbitrary<AudioBlock> {
  const fields = { data: base64Arbitrary, encoding: fc.constantFrom('wav', 'mp3'), ...blockExtras(options) }
  return fc.record(
    { type: fc.constant('audio' as const), ...fields },
    { requiredKeys: ['type', 'data', 'encoding'], ...plain },
  )
}

/** Audio of an answer: whole in a reply, and only its id where a request sends it back. */
export function answeredAudioArbitrary(position: BlockSite): fc.Arbitrary<AudioBlock> {
  const known = { type: fc.constant('audio' as const), id: wordArbitrary.map((word) => `audio_${word}`) }
  if (position === 'request') return fc.record(known, plain)
  const answer = { data: base64Arbitrary, transcript: textArbitrary, expiresAtSeconds: fc.nat(2_000_000_000) }
  return fc.record({ ...known, ...answer }, plain)
}

export function videoBlockArbitrary(options: ArbitraryOptions): fc.Arbitrary<VideoBlock> {
  const source = mediaSourceArbitrary(['video/mp4'])
  return fc.record(
    { type: fc.constant('video' as const), source, ...blockExtras(options) },
    { requiredKeys: ['type', 'source'], ...plain },
  )
}
