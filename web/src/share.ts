// A link with the scene and the settings: #scene=octopus-drop&gravity=3&speed=0.5&show=pills. Runs are bitwise equal on
// every machine, so everyone who opens it sees the same. Only what differs from the scene is written.
import { PARAMETERS, type Parameter } from './messages';

export interface Shared {
    scene: string;
    parameters: Partial<Record<Parameter, number>>;
    speed: number | null;
    paused: boolean;
    show: string[]; // switches that differ from the default: "pills", "-skin", "strain"
    view: number[] | null;
    detail: number | null; // level of detail, 0 (highest) to 4; read, never written
}

export function readShared(fragment: string): Shared {
    const values = new URLSearchParams(fragment.replace(/^#/, ''));
    const number = (key: string): number | null => {
        const text = values.get(key);
        return text !== null && text !== '' && Number.isFinite(Number(text)) ? Number(text) : null;
    };
    const parameters: Shared['parameters'] = {};
    for (const name of PARAMETERS) {
        const value = number(name);
        if (value !== null) parameters[name] = value;
    }
    const view = (values.get('view') ?? '').split(',').map(Number);
    return {
        scene: values.get('scene') ?? '',
        parameters,
        speed: number('speed'),
        paused: values.get('paused') === '1',
        show: (values.get('show') ?? '').split(',').filter(Boolean),
        view: view.length === 6 && view.every(Number.isFinite) ? view : null,
        detail: number('detail'),
    };
}

export function writeShared(shared: Shared): string {
    const values = new URLSearchParams();
    values.set('scene', shared.scene);
    for (const [name, value] of Object.entries(shared.parameters))
        values.set(name, String(Number(value.toPrecision(7))));
    if (shared.speed !== null && shared.speed !== 1) values.set('speed', String(shared.speed));
    if (shared.paused) values.set('paused', '1');
    if (shared.show.length) values.set('show', shared.show.join(','));
    if (shared.view) values.set('view', shared.view.map((x) => Number(x.toPrecision(4))).join(','));
    return `#${values.toString().replaceAll('%2C', ',')}`;
}
