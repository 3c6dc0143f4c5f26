/** The first and last bytes of an audio file, from which its length is found without reading the whole file. */
export interface AudioEnds {
  /** The first bytes, which contain the file's header. */
  readonly head: Buffer
  readonly tail: Buffer
  /** The bytes of the whole file. */
  readonly length: number
}

export interface AudioLength {
  readonly seconds: number
  /** Whether the file does not state its length, so that a usual bit rate was assumed. */
  readonly isGuess: boolean
  /**
   * The length for which money is held. The caller writes the header, which may lie. Therefore the length is at least
   * that of the file's bytes at the highest rate of their format. Without a header it is the length at the lowest
   * rate at which speech is encoded.
   */
  readonly maxSeconds: number
}

/** 128 kbit/s, the rate of most files that do not state one. */
const USUAL_BYTES_A_SECOND = 16_000
/** 6 kbit/s. Speech is hardly ever encoded at less. */
const LOWEST_BYTES_A_SECOND = 750
/** A week. A header that states more is wrong. */
const MAX_SECONDS = 604_800

/**
 * Finds the length of WAV, MP3, FLAC, Ogg, MP4 and WebM from their headers. Guesses the length of all other formats.
 */
export function findAudioSeconds(ends: AudioEnds): AudioLength {
  for (const read of readers) {
    const { seconds, minSeconds } = read(ends) ?? noLength
    if (seconds > 0 && seconds <= MAX_SECONDS)
      return { seconds, isGuess: false, maxSeconds: Math.max(seconds, minSeconds) }
  }
  const { length } = ends
  return {
    seconds: length / USUAL_BYTES_A_SECOND,
    isGuess: true,
    maxSeconds: length / LOWEST_BYTES_A_SECOND,
  }
}

/** The length that a header states, and the shortest length that the file's bytes can have. */
interface StatedLength {
  readonly seconds: number
  readonly minSeconds: number
}

const noLength: StatedLength = { seconds: 0, minSeconds: 0 }

type Reader = (ends: AudioEnds) => StatedLength | undefined

/**
 * The highest rates in bytes per second: 192,000 samples, two channels and 32 bits for WAV; a CD; 512, 2,000 and 320
 * kbit/s.
 */
const highest = { wav: 1_536_000, flac: 176_400, ogg: 64_000, video: 250_000, mp3: 40_000 }

const readers: readonly Reader[] = [
  readWav,
  bounded(readFlac, highest.flac),
  bounded(readOgg, highest.ogg),
  bounded(readMp4, highest.video),
  bounded(readWebm, highest.video),
  bounded(readMp3, highest.mp3),
]

function bounded(read: (ends: AudioEnds) => number | undefined, bytesASecond: number): Reader {
  return (ends) => {
    const seconds = read(ends)
    return seconds === undefined ? undefined : { seconds, minSeconds: ends.length / bytesASecond }
  }
}

function startsWith(bytes: Buffer, text: string, at = 0): boolean {
  return bytes.length >= at + text.length && bytes.toString('latin1', at, at + text.length) === text
}

/** RIFF: the bytes of the data divided by their rate. In `minSeconds`, the bytes after the data count as sound. */
function readWav({ head, length }: AudioEnds): StatedLength | undefined {
  if (!startsWith(head, 'RIFF') || !startsWith(head, 'WAVE', 8)) return undefined
  let rates = noRates
  for (let at = 12; at + 8 <= head.length; ) {
    const size = head.readUInt32LE(at + 4)
    if (startsWith(head, 'fmt ', at) && at + 24 <= head.length) rates = readWavRates(head, at + 8)
    if (startsWith(head, 'data', at)) {
      const rest = length - at - 8
      // A streamed file states no size, or the largest one.
      const bytes = Math.min(size || length, rest)
      return rates.stated === 0
        ? undefined
        : { seconds: bytes / rates.stated, minSeconds: rest / rates.highest }
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}

const noRates = { stated: 0, highest: highest.wav }
/** The codes of plain samples: integers, floats, A-law, mu-law, and the extensible form that has a list of channels. */
const sampleCodes: ReadonlySet<number> = new Set([1, 3, 6, 7, 0xfffe])

/** Plain samples play at samples × channels × bits. For coded sound the byte rate in the header applies. */
function readWavRates(head: Buffer, at: number): typeof noRates {
  if (!sampleCodes.has(head.readUInt16LE(at)))
    return { stated: head.readUInt32LE(at + 8), highest: highest.ogg }
  const bytesASample = head.readUInt16LE(at + 2) * Math.ceil(head.readUInt16LE(at + 14) / 8)
  const stated = head.readUInt32LE(at + 4) * bytesASample
  return { stated, highest: Math.min(stated, highest.wav) }
}

/** Reads the stream information block: the number of samples and their rate. */
function readFlac({ head }: AudioEnds): number | undefined {
  if (!startsWith(head, 'fLaC') || head.length < 26) return undefined
  const rate = (head.readUInt16BE(18) << 4) | (head.readUInt8(20) >> 4)
  const samples = (head.readUInt8(21) & 0x0f) * 2 ** 32 + head.readUInt32BE(22)
  return rate === 0 ? undefined : samples / rate
}

/** Reads the position of the last page, in samples. Opus counts 48,000 samples per second, whatever its source had. */
function readOgg({ head, tail }: AudioEnds): number | undefined {
  if (!startsWith(head, 'OggS')) return undefined
  const last = tail.lastIndexOf('OggS')
  if (last === -1 || last + 14 > tail.length) return undefined
  const samples = tail.readUInt32LE(last + 10) * 2 ** 32 + tail.readUInt32LE(last + 6)
  const vorbis = head.indexOf('vorbis')
  const isVorbis = vorbis !== -1 && vorbis < 64 && vorbis + 15 <= head.length
  const rate = isVorbis ? head.readUInt32LE(vorbis + 11) : 48_000
  return rate === 0 ? undefined : samples / rate
}

/** Reads the movie header, at the beginning or at the end of the file. */
function readMp4({ head, tail }: AudioEnds): number | undefined {
  if (!startsWith(head, 'ftyp', 4)) return undefined
  return readMovieHeader(head) ?? readMovieHeader(tail)
}

function readMovieHeader(bytes: Buffer): number | undefined {
  const at = bytes.indexOf('mvhd')
  if (at === -1 || at + 36 > bytes.length) return undefined
  const isLong = bytes.readUInt8(at + 4) === 1
  const scale = bytes.readUInt32BE(at + (isLong ? 24 : 16))
  const ticks = isLong ? Number(bytes.readBigUInt64BE(at + 28)) : bytes.readUInt32BE(at + 20)
  return scale === 0 ? undefined : ticks / scale
}

const EBML = Buffer.from('1a45dfa3', 'hex')
const DURATION = Buffer.from('4489', 'hex')
const NANOSECONDS_A_MILLISECOND = 1_000_000
const SCALE = Buffer.from('2ad7b183', 'hex')

/** Reads the duration in the file's own ticks. Recorders in browsers leave it out. */
function readWebm({ head }: AudioEnds): number | undefined {
  if (!head.subarray(0, 4).equals(EBML)) return undefined
  const scaleAt = head.indexOf(SCALE)
  const scale =
    scaleAt === -1 || scaleAt + 7 > head.length ? NANOSECONDS_A_MILLISECOND : head.readUIntBE(scaleAt + 4, 3)
  const at = head.indexOf(DURATION)
  if (at === -1 || at + 11 > head.length) return undefined
  const isDouble = head.readUInt8(at + 2) === 0x88
  const ticks = isDouble ? head.readDoubleBE(at + 3) : head.readFloatBE(at + 3)
  return (ticks * scale) / 1_000_000_000
}

const bitrates = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const
const sampleRates = [44_100, 48_000, 32_000] as const

/** Reads the first frame: its count of frames where it has one, else its rate. */
function readMp3({ head, length }: AudioEnds): number | undefined {
  const start = startsWith(head, 'ID3') && head.length > 10 ? 10 + syncSafe(head, 6) : 0
  const at = findFrame(head, start)
  if (at === -1) return undefined
  const version = (head.readUInt8(at + 1) >> 3) & 3
  const table = version === 3 ? bitrates[1] : bitrates[2]
  const kilobits = table[head.readUInt8(at + 2) >> 4] ?? 0
  const base = sampleRates[(head.readUInt8(at + 2) >> 2) & 3]
  if (kilobits === 0 || base === undefined) return undefined
  const rate = version === 3 ? base : version === 2 ? base / 2 : base / 4
  const frames = countFrames(head, at)
  if (frames !== undefined) return (frames * (version === 3 ? 1_152 : 576)) / rate
  return ((length - at) * 8) / (kilobits * 1_000)
}

function syncSafe(bytes: Buffer, at: number): number {
  let size = 0
  for (let index = 0; index < 4; index += 1) size = size * 128 + ((bytes[at + index] ?? 0) & 0x7f)
  return size
}

/** The offset of the first layer III frame near `start`. A picture in the tag may be longer than `head`. */
function findFrame(head: Buffer, start: number): number {
  for (let at = start; at + 4 <= Math.min(head.length, start + 4_096); at += 1) {
    const second = head[at + 1] ?? 0
    const isSync = head[at] === 0xff && (second & 0xe0) === 0xe0
    if (isSync && (second & 0x06) === 0x02 && (second & 0x18) !== 0x08) return at
  }
  return -1
}

function countFrames(head: Buffer, at: number): number | undefined {
  const first = head.subarray(at, at + 200)
  const mark = Math.max(first.indexOf('Xing'), first.indexOf('Info'))
  if (mark === -1 || mark + 12 > first.length) return undefined
  return (first.readUInt32BE(mark + 4) & 1) === 1 ? first.readUInt32BE(mark + 8) : undefined
}
