import { describe, expect, it } from 'vitest'
import { sniffMediaType } from './sniff-media-type.ts'

describe('sniffing a media type from the first bytes', () => {
  it.each([
    ['89504e470d0a1a0a0000000d', 'image/png'],
    ['ffd8ffe000104a4649460001', 'image/jpeg'],
    ['474946383961010001000000', 'image/gif'],
    ['524946461a00000057454250', 'image/webp'],
    ['255044462d312e370a25c7ec', 'application/pdf'],
    ['00000018667479706d703432', 'video/mp4'],
    ['00000014667479707174202', 'video/quicktime'],
    ['1a45dfa3010000000000001f', 'video/webm'],
  ])('recognizes %s as %s', (hex, mediaType) => {
    expect(sniffMediaType(Buffer.from(`${hex}0`.slice(0, 24), 'hex'))).toBe(mediaType)
  })

  it.each([
    ['a sound that shares its container with an image', Buffer.from('RIFF\0\0\0\0WAVE')],
    ['a web page', Buffer.from('<!doctype html>')],
    ['nothing', Buffer.alloc(0)],
    ['a beginning that breaks off', Buffer.from('89504e', 'hex')],
  ])('recognizes no media type in %s', (_name, head) => {
    expect(sniffMediaType(head)).toBeUndefined()
  })
})
