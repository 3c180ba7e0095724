/** What the page uses of Swagger UI, which has no types of its own. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** A node of React. */
  export type Rendered = object | string | null;
  export type Component = (props: never) => Rendered;
  export type GetComponent = (name: string, isContainer?: boolean) => Component;

  /** Of the library `immutable`. */
  export interface ImmutableMap {
    get(key: string): unknown;
    getIn(path: readonly string[]): unknown;
    set(key: string, value: unknown): ImmutableMap;
  }

  export interface ImmutableCollection<T> {
    readonly size: number;
    filter(keep: (value: T, key: string) => boolean): ImmutableCollection<T>;
    map(change: (value: T, key: string) => T): ImmutableCollection<T>;
    keySeq(): Iterable<string>;
  }

  export interface System {
    readonly React: {
      createElement(type: Component | string, props?: object | null, ...children: Rendered[]): Rendered;
    };
    readonly layoutActions: {
      show(thing: readonly string[], isShown: boolean): void;
      updateFilter(text: string | false): void;
    };
    readonly specSelectors: { taggedOperations(): ImmutableCollection<ImmutableMap> };
  }

  export interface OutgoingRequest {
    url: string;
    headers: Record<string, string>;
  }

  export interface Options {
    readonly domNode: HTMLElement;
    readonly spec: object;
    readonly layout: string;
    readonly plugins: readonly ((system: System) => object)[];
    readonly deepLinking: boolean;
    readonly docExpansion: 'list' | 'none';
    readonly defaultModelsExpandDepth: number;
    readonly defaultModelExpandDepth: number;
    readonly displayRequestDuration: boolean;
    readonly validatorUrl: null;
    readonly queryConfigEnabled: boolean;
    readonly persistAuthorization: boolean;
    readonly requestInterceptor: (request: OutgoingRequest) => OutgoingRequest;
    readonly onComplete: () => void;
  }

  export interface SwaggerUi {
    getSystem(): System;
  }

  export default function createViewer(options: Options): SwaggerUi;
}
