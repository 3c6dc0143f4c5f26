import { scaleLinear } from 'd3-scale'
import type { ChartData } from './chart-data.ts'

export const CHART_HEIGHT = 180
const TOP = 8
const BOTTOM = 22
const LEFT = 48
/** The space between the labels of the value axis and the chart, on both sides. */
const LABEL_SPACE = 12
const DIGIT_WIDTH = 6.5
const CHINESE_WIDTH = 11
const RIGHT = 8
const WIDTH_OF_TICK = 90

/** The geometry of a chart: the coordinates of times and values. */
export interface ChartPlan {
  readonly left: number
  readonly right: number
  readonly bottom: number
  readonly top: number
  /** The width of one bucket. */
  readonly band: number
  readonly xOf: (index: number) => number
  readonly yOf: (value: number) => number
  readonly valueTicks: readonly number[]
  /** The indices of the times with a label below the chart. */
  readonly timeTicks: readonly number[]
  /** The index of the time at a horizontal position. */
  readonly indexAt: (x: number) => number
}

interface PlanInput {
  readonly data: ChartData
  readonly width: number
  readonly isStacked: boolean
  /** Writes the labels of the value axis, which get the space that they need: a cut amount looks like another one. */
  readonly write: (value: number) => string
}

export function planChart({ data, width, isStacked, write }: PlanInput): ChartPlan {
  const count = data.times.length
  const bottom = CHART_HEIGHT - BOTTOM
  const y = scaleLinear()
    .domain([0, highestOf(data, isStacked)])
    .nice(3)
    .range([bottom, TOP])
  const valueTicks = y.ticks(3).filter((tick) => !isCounted(data) || Number.isInteger(tick))
  const left = Math.max(LEFT, ...valueTicks.map((tick) => widthOf(write(tick)) + LABEL_SPACE))
  const right = Math.max(left + 1, width - RIGHT)
  const band = (right - left) / Math.max(1, count)
  return {
    left,
    right,
    bottom,
    top: TOP,
    band,
    xOf: (index) => left + band * index,
    yOf: (value) => y(value),
    valueTicks,
    timeTicks: chooseTicks(count, Math.max(2, Math.floor((right - left) / WIDTH_OF_TICK))),
    indexAt: (x) => Math.max(0, Math.min(count - 1, Math.floor((x - left) / band))),
  }
}

function widthOf(label: string): number {
  const chinese = label.match(/\p{Script=Han}/gu)?.length ?? 0
  return chinese * CHINESE_WIDTH + (label.length - chinese) * DIGIT_WIDTH
}

function highestOf({ series, times }: ChartData, isStacked: boolean): number {
  const heights = times.map((_time, index) => {
    const values = series.map(({ values: all }) => all[index] ?? 0)
    return isStacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values)
  })
  return Math.max(...heights, 0) || 1
}

/** Whether all values are whole numbers. The axis then has ticks only at whole numbers. */
function isCounted({ series }: ChartData): boolean {
  return series.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)))
}

function chooseTicks(count: number, wanted: number): readonly number[] {
  const step = Math.max(1, Math.ceil(count / wanted))
  return Array.from({ length: Math.ceil(count / step) }, (_unused, index) => index * step)
}
