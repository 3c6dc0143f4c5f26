import type { ServedModelView } from '../../../../src/admin/models/catalog-contract.ts'
import { writeCount } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { RowLink } from '../../ui/row-link.tsx'
import { Absent } from '../../ui/text.tsx'
import type { ModelSearch } from './model-search.ts'
import { describeLowest, describeRates } from './price-words.ts'

/** The columns of the list. Narrow screens omit the last ones. Members do not see the targets of a name. */
export function modelColumns(search: ModelSearch, seesAll: boolean): readonly Column<ServedModelView>[] {
  return [nameColumn(search), ...(seesAll ? servingColumns : [aboutColumn]), priceColumn(seesAll)]
}

function nameColumn(search: ModelSearch): Column<ServedModelView> {
  return {
    id: 'name',
    header: t('models.name'),
    sort: 'name',
    cell: ({ name, alias }) => (
      <>
        <RowLink to="/models/$name" params={{ name }} search={search}>
          {name}
        </RowLink>
        {alias && (
          <span className="ml-2">
            <Badge tone="accent">{t('models.alias')}</Badge>
          </span>
        )}
      </>
    ),
  }
}

const aboutColumn: Column<ServedModelView> = {
  id: 'about',
  header: t('models.about'),
  className: 'max-md:hidden',
  cell: ({ display_name: displayName, description }) =>
    [displayName, description].filter((each) => each !== null).join(': ') || <Absent />,
}

const servingColumns: readonly Column<ServedModelView>[] = [
  {
    id: 'targets',
    header: t('models.targets'),
    className: 'max-md:hidden',
    cell: ({ targets }) => <Targets targets={targets ?? []} />,
  },
  {
    id: 'fallbacks',
    header: t('models.fallbacks'),
    className: 'w-44 max-lg:hidden',
    cell: ({ fallbacks }) => ((fallbacks ?? []).length === 0 ? <Absent /> : fallbacks?.join(', ')),
  },
]

const priceColumn = (seesAll: boolean): Column<ServedModelView> => ({
  id: 'price',
  header: t(seesAll ? 'models.price' : 'models.charged'),
  className: 'w-60 max-sm:w-41',
  align: 'end',
  cell: (model) => <PriceText model={model} />,
})

function Targets({ targets }: { readonly targets: NonNullable<ServedModelView['targets']> }) {
  const [first] = targets
  if (first === undefined) return <span className="text-warn">{t('models.targets.none')}</span>
  const text = targets.map(({ channel, upstream_model: model }) => `${channel}/${model}`).join(', ')
  return (
    <span title={text}>
      {first.channel}/{first.upstream_model}
      {targets.length > 1 && (
        <span className="text-muted"> {t('models.targets.more', { count: targets.length - 1 })}</span>
      )}
    </span>
  )
}

/** The lowest price of the targets. A target without a price is reported instead. */
function PriceText({ model: { targets, charged } }: { readonly model: ServedModelView }) {
  const unpriced = (targets ?? []).filter(({ priced }) => !priced).length
  if (unpriced > 0)
    return (
      <Badge tone="warn" title={t('models.unpriced.why')}>
        {unpriced === targets?.length
          ? t('models.unpriced')
          : t('models.unpriced.some', { some: writeCount(unpriced) })}
      </Badge>
    )
  const [lowest] = charged
  if (lowest === undefined) return <Absent />
  return (
    <span>{charged.length === 1 ? describeRates({ price: lowest }) : describeLowest({ price: lowest })}</span>
  )
}
