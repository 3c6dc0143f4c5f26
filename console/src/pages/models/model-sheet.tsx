import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { ObjectView } from '../../../../src/admin/config/config-contract.ts'
import type { ServedModelView } from '../../../../src/admin/models/catalog-contract.ts'
import { objectLines } from '../../changes/object-lines.ts'
import { OwnedByFile } from '../../changes/owned-by-file.tsx'
import { findText, t } from '../../language/language.ts'
import { useMay, usePermissions } from '../../shell/use-me.ts'
import { Button, buttonClass, IconButton } from '../../ui/button.tsx'
import { DetailList } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Banner, ErrorState, Skeleton } from '../../ui/states.tsx'
import { Absent } from '../../ui/text.tsx'
import { DeleteAliasDialog, EditAliasForm } from './alias-dialogs.tsx'
import { ModelGraph } from './model-graph.tsx'
import { modelObjectQuery, servedQuery } from './model-queries.ts'
import { planGraph } from './plan-graph.ts'
import { PriceList } from './price-list.tsx'
import { listRates } from './price-words.ts'

/** One public name, next to the list. */
export function ModelSheet() {
  const { name } = useParams({ from: '/frame/models/$name' })
  const navigate = useNavigate({ from: '/models/$name' })
  const served = useQuery(servedQuery(name))
  const { seesAll } = usePermissions()
  const object = useQuery({ ...modelObjectQuery(name), enabled: seesAll })
  const close = () => void navigate({ to: '/models', search: (before) => before })
  const error = served.error ?? object.error
  return (
    <Dialog isOpen onClose={close} shape="side" title={name}>
      {(served.isPending || (seesAll && object.isPending)) && error === null && <Skeleton rows={6} />}
      {error !== null && <ErrorState error={error} onRetry={() => void served.refetch()} />}
      {!seesAll && served.data !== undefined && <OwnModel served={served.data} />}
      {served.data !== undefined && object.data !== undefined && (
        <ModelBody name={name} served={served.data} object={object.data} onDeleted={close} />
      )}
    </Dialog>
  )
}

/** A public name as a member sees it: usable, but without its targets. */
function OwnModel({ served }: { readonly served: ServedModelView | null }) {
  if (served === null) return <Banner tone="warn">{t('models.not_own')}</Banner>
  const { display_name: displayName, description, charged } = served
  return (
    <div className="space-y-5">
      {description !== null && <p className="text-muted">{description}</p>}
      {displayName !== null && <DetailList rows={[[t('models.display_name'), displayName]]} />}
      <section aria-label={t('models.prices')} className="space-y-3">
        <h3 className="font-medium">{t('models.prices')}</h3>
        <p className="text-muted">{t(charged.length === 0 ? 'models.charged.none' : 'models.charged.why')}</p>
        {charged.map((price) => (
          <DetailList key={JSON.stringify(price)} rows={listRates({ price })} columns={2} />
        ))}
      </section>
    </div>
  )
}

interface ModelBodyProps {
  readonly name: string
  readonly served: ServedModelView | null
  /** The settings of the name in the configuration, if there are any. */
  readonly object: ObjectView | null
  readonly onDeleted: () => void
}

function ModelBody({ name, served, object, onDeleted }: ModelBodyProps) {
  const [isEditing, setEditing] = useState(false)
  if (isEditing && object !== null) return <EditAliasForm shown={object} onDone={() => setEditing(false)} />
  return (
    <div className="space-y-5">
      <Controls name={name} object={object} onEdit={() => setEditing(true)} onDeleted={onDeleted} />
      {served === null && <Banner tone="warn">{t('models.not_served')}</Banner>}
      {served !== null && <Served served={served} />}
      <PriceList model={name} />
      {object?.owner === 'file' && <OwnedByFile document={objectLines('models', object)} />}
    </div>
  )
}

function Served({ served }: { readonly served: ServedModelView }) {
  const { display_name: displayName, description, strategy, owned_by: provider } = served
  return (
    <>
      {description !== null && <p className="text-muted">{description}</p>}
      <DetailList
        rows={[
          [t('models.display_name'), displayName ?? <Absent key="name" />],
          [t('models.provider'), provider],
          [
            t('models.strategy'),
            strategy === null ? (
              <Absent key="strategy" />
            ) : (
              (findText(`models.strategy.${strategy}`) ?? strategy)
            ),
          ],
        ]}
      />
      <ModelGraph
        graph={planGraph([served], () => true)}
        label={t('models.graph.of', { name: served.name })}
      />
    </>
  )
}

interface ControlsProps {
  readonly name: string
  readonly object: ObjectView | null
  readonly onEdit: () => void
  readonly onDeleted: () => void
}

function Controls({ name, object, onEdit, onDeleted }: ControlsProps) {
  const manages = useMay('PATCH /models/{name}')
  const [isDeleting, setDeleting] = useState(false)
  const isOwn = manages && object?.owner === 'api'
  return (
    <div className="flex flex-wrap gap-2">
      <Link to="/models" search={{ view: 'route', model: name }} className={buttonClass('plain')}>
        <Icon name="share" className="size-4" />
        {t('models.route.open')}
      </Link>
      {isOwn && (
        <>
          <Button icon="edit" onClick={onEdit}>
            {t('models.edit')}
          </Button>
          <Menu
            trigger={<IconButton icon="more" label={t('models.actions')} />}
            sections={[
              [
                {
                  label: t('models.delete'),
                  icon: 'trash',
                  isDangerous: true,
                  run: () => setDeleting(true),
                },
              ],
            ]}
          />
          <DeleteAliasDialog
            name={name}
            onDeleted={onDeleted}
            isOpen={isDeleting}
            onClose={() => setDeleting(false)}
          />
        </>
      )}
    </div>
  )
}
