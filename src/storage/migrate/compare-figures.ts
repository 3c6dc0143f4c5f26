export interface CopyCheck {
  /** The figures that were compared. */
  readonly compared: number
  /** One sentence for each figure that differs. */
  readonly differences: readonly string[]
}

/** The figures of one store, by their descriptions. */
export type Figures = ReadonlyMap<string, string>

/** Compares figures. A figure that is missing in one store is read as 0. */
export function compareFigures(source: Figures, copy: Figures): CopyCheck {
  const names = [...new Set([...source.keys(), ...copy.keys()])]
  return {
    compared: names.length,
    differences: names.flatMap((name) => {
      const [should, has] = [source.get(name) ?? '0', copy.get(name) ?? '0']
      return should === has ? [] : [`${name}: ${should} in the data folder, ${has} in the database`]
    }),
  }
}
