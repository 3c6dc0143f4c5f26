import { describe, expect, it } from 'vitest'
import { findAudioSeconds } from './find-audio-seconds.ts'

function secondsOf(file: Buffer, length = file.length) {
  return findAudioSeconds({ head: file.subarray(0, 65_536), tail: file.subarray(-65_536), length })
}

/** A WAV head before `bytes` of samples. */
function wav(bytes: number, stated = bytes): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(16_000, 24)
  head.writeUInt32LE(32_000, 28)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(stated, 40)
  return Buffer.concat([head, Buffer.alloc(bytes)])
}

function flac(samples: number): Buffer {
  const file = Buffer.alloc(42)
  file.write('fLaC', 0, 'latin1')
  // 16,000 samples a second in twenty bits, then channels, bits and the count.
  file.writeUInt16BE(16_000 >> 4, 18)
  file.writeUInt8((16_000 & 0xf) << 4, 20)
  file.writeUInt32BE(samples, 22)
  return file
}

function ogg(samples: number): Buffer {
  const page = Buffer.alloc(27)
  page.write('OggS', 0, 'latin1')
  const last = Buffer.from(page)
  last.writeUInt32LE(samples, 6)
  return Buffer.concat([page, Buffer.from('OpusHead'), Buffer.alloc(1_000), last])
}

function mp4(ticks: number, isLast: boolean): Buffer {
  const movie = Buffer.alloc(40)
  movie.write('mvhd', 4, 'latin1')
  movie.writeUInt32BE(1_000, 20)
  movie.writeUInt32BE(ticks, 24)
  const type = Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.from('ftypM4A '), Buffer.alloc(4)])
  const sound = Buffer.alloc(100_000)
  return Buffer.concat(isLast ? [type, sound, movie] : [type, movie, sound])
}

/** A frame of layer III at 128 kbit/s and 44,100 samples a second, after a tag. */
function mp3(bytes: number): Buffer {
  const tag = Buffer.concat([Buffer.from('ID3'), Buffer.from([4, 0, 0, 0, 0, 0, 100]), Buffer.alloc(100)])
  return Buffer.concat([tag, Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(bytes - 4)])
}

function webm(milliseconds: number): Buffer {
  const duration = Buffer.alloc(11)
  duration.writeUInt16BE(0x4489, 0)
  duration.writeUInt8(0x88, 2)
  duration.writeDoubleBE(milliseconds, 3)
  return Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(30), duration, Buffer.alloc(50)])
}

describe('the audio duration is read from', () => {
  it.each<[string, Buffer, number]>([
    ['WAV', wav(96_000), 3],
    ['WAV of a stream, which states no size', wav(96_000, 0), 3],
    ['WAV that claims more than it has', wav(96_000, 0xffffffff), 3],
    ['FLAC', flac(48_000), 3],
    ['Ogg with Opus', ogg(144_000), 3],
    ['MP4 with its head first', mp4(3_000, false), 3],
    ['MP4 with its head last', mp4(3_000, true), 3],
    ['MP3 of one rate', mp3(48_000), 3],
    ['WebM', webm(3_000), 3],
  ])('%s', (_kind, file, seconds) => {
    const found = secondsOf(file)
    expect(found.isGuess).toBe(false)
    expect(found.seconds).toBeCloseTo(seconds, 5)
  })
})

it('is estimated if the file does not state it, and bounded by the lowest bitrate', () => {
  expect(secondsOf(Buffer.alloc(64, 1), 160_000)).toEqual({
    seconds: 10,
    isGuess: true,
    maxSeconds: 160_000 / 750,
  })
})

it('is estimated if the header is impossible', () => {
  const broken = wav(96_000)
  broken.writeUInt32LE(0, 24)
  expect(secondsOf(broken).isGuess).toBe(true)
})

it('of raw samples does not depend on the byte rate in the header', () => {
  const forged = wav(96_000)
  forged.writeUInt32LE(0xffffffff, 28)
  expect(secondsOf(forged)).toEqual({ seconds: 3, isGuess: false, maxSeconds: 3 })
})

describe('a header that understates the duration does not lower the upper bound:', () => {
  it.each<[string, Buffer, number]>([
    ['WAV with a short data chunk', wav(96_000, 32), 3],
    ['WAV with more samples a second than there are', manySamples(1_536_000), 1],
    ['FLAC', grown(flac(1), 176_400), 1],
    ['Ogg', ogg(1), 1_062 / 64_000],
    ['MP4', mp4(1, true), 100_056 / 250_000],
    ['WebM', grown(webm(1), 250_000), 1],
    ['MP3 with a count of frames', grown(countedMp3(1), 40_000), 1],
  ])('%s', (_kind, file, seconds) => {
    const found = secondsOf(file)
    expect(found.isGuess).toBe(false)
    expect(found.seconds).toBeLessThan(seconds)
    expect(found.maxSeconds).toBeCloseTo(seconds, 5)
  })
})

function grown(file: Buffer, bytes: number): Buffer {
  return Buffer.concat([file, Buffer.alloc(bytes - file.length)])
}

function manySamples(bytes: number): Buffer {
  const file = wav(bytes)
  file.writeUInt32LE(0xffffffff, 24)
  return file
}

function countedMp3(frames: number): Buffer {
  const count = Buffer.alloc(12)
  count.write('Xing', 0, 'latin1')
  count.writeUInt32BE(1, 4)
  count.writeUInt32BE(frames, 8)
  return Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), count])
}
