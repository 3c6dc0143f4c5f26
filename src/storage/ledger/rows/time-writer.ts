import type { ByteWriter } from '../../../kit/bytes/byte-writer.ts'
import { HOUR_MS, MINUTE_MS } from '../../../kit/time/time-units.ts'

const COLON = 0x3a
const DOT = 0x2e
const UTC = 0x5a

/** Writes times in the format of `toISOString`. Successive times of the same hour share the text of its beginning. */
export class TimeWriter {
  #hour = Number.NaN
  #start = new Uint8Array()

  write(out: ByteWriter, atMs: number): void {
    const ms = atMs % HOUR_MS
    // The remainder is negative before 1970.
    if (ms < 0) out.text(new Date(atMs).toISOString())
    else this.#writeInHour(out, atMs - ms, ms)
  }

  #writeInHour(out: ByteWriter, hour: number, ms: number): void {
    if (hour !== this.#hour) {
      this.#hour = hour
      this.#start = Buffer.from(new Date(hour).toISOString().slice(0, 'YYYY-MM-DDTHH:'.length))
    }
    out.bytes(this.#start)
    out.digits(Math.floor(ms / MINUTE_MS), 2)
    out.byte(COLON)
    out.digits(Math.floor((ms % MINUTE_MS) / 1_000), 2)
    out.byte(DOT)
    out.digits(ms % 1_000, 3)
    out.byte(UTC)
  }
}
