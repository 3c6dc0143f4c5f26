/** One measure over time: a series of the chart. */
export interface Series {
  readonly id: string
  readonly label: string
  /** The number of the color, from 1 to 8. */
  readonly colour: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8
  /** One value for each time. Null where nothing was measured. */
  readonly values: readonly (number | null)[]
}

export interface ChartData {
  /** The start of each bucket, in milliseconds since 1970. */
  readonly times: readonly number[]
  readonly stepMs: number
  readonly series: readonly Series[]
}

/** Full class names, as the styles are generated from those that appear in the source. */
export const seriesFills = {
  1: 'fill-series-1',
  2: 'fill-series-2',
  3: 'fill-series-3',
  4: 'fill-series-4',
  5: 'fill-series-5',
  6: 'fill-series-6',
  7: 'fill-series-7',
  8: 'fill-series-8',
} as const

export const seriesStrokes = {
  1: 'stroke-series-1',
  2: 'stroke-series-2',
  3: 'stroke-series-3',
  4: 'stroke-series-4',
  5: 'stroke-series-5',
  6: 'stroke-series-6',
  7: 'stroke-series-7',
  8: 'stroke-series-8',
} as const
