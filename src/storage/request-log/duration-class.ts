/**
 * The lower bounds of the classes; the first class has all times below the first bound. There are few classes, since
 * each multiplies the number of shapes.
 */
export const durationEdgesMs = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000]

/** The class of a request's total time, from 0. A longer time never has a lower class. */
export function durationClassOf(totalMs: number): number {
  const above = durationEdgesMs.findIndex((edgeMs) => totalMs < edgeMs)
  return above === -1 ? durationEdgesMs.length : above
}
