import { Gauge, type Registry } from 'prom-client'
import { createCounter } from './create-counter.ts'

export interface CaptureMetrics {
  /** Counts the outcome of a capture. */
  counted(outcome: string): void
  /** Sets the source of the memory that captures hold. */
  watch(read: () => number): void
}

export function createCaptureMetrics(registry: Registry): CaptureMetrics {
  const captures = createCounter(registry, {
    name: 'headgate_captures_total',
    help: 'Captures of prompts and answers by outcome.',
    labelNames: ['outcome'],
  })
  let readHeld = () => 0
  new Gauge({
    name: 'headgate_capture_held_bytes',
    help: 'Memory for captures that are in progress or wait to be stored.',
    registers: [registry],
    collect() {
      this.set(readHeld())
    },
  })
  return {
    counted: (outcome) => captures.add([outcome], 1),
    watch(read) {
      readHeld = read
    },
  }
}
