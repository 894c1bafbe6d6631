"""Fields of the Kubernetes API that manifests may have: the types of python3-kubernetes, which are generated from the
OpenAPI document of Kubernetes 1.22, and a table of the fields that are newer, written from the API's reference."""
import kubernetes.client as api
import yaml

MODELS = {
    ("batch/v1", "Job"): "V1Job",
    ("v1", "PersistentVolumeClaim"): "V1PersistentVolumeClaim",
    ("v1", "ServiceAccount"): "V1ServiceAccount",
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"): "V1ClusterRoleBinding",
    ("apps/v1", "DaemonSet"): "V1DaemonSet",
}
# Fields of batch/v1 since 1.22, with the release in which each needs no feature gate: podFailurePolicy 1.31,
# backoffLimitPerIndex 1.33, podReplacementPolicy 1.34.
NEWER = {
    "V1JobSpec": {
        "podFailurePolicy": "PodFailurePolicy",
        "backoffLimitPerIndex": "int",
        "maxFailedIndexes": "int",
        "podReplacementPolicy": "str",
    },
    "PodFailurePolicy": {"rules": "list[PodFailurePolicyRule]"},
    "PodFailurePolicyRule": {"action": "str", "onExitCodes": "OnExitCodes", "onPodConditions": "list[OnPodCondition]"},
    "OnExitCodes": {"containerName": "str", "operator": "str", "values": "list[int]"},
    "OnPodCondition": {"type": "str", "status": "str"},
}
REQUIRED = {
    "PodFailurePolicy": {"rules"},
    "PodFailurePolicyRule": {"action"},
    "OnExitCodes": {"operator", "values"},
    "OnPodCondition": {"type"},
}
# Words that the reference allows; the older schema has them in its descriptions only.
WORDS = {
    ("V1JobSpec", "completionMode"): {"Indexed", "NonIndexed"},
    ("V1JobSpec", "podReplacementPolicy"): {"Failed", "TerminatingOrFailed"},
    ("PodFailurePolicyRule", "action"): {"FailJob", "FailIndex", "Ignore", "Count"},
    ("OnExitCodes", "operator"): {"In", "NotIn"},
    ("OnPodCondition", "status"): {"True", "False", "Unknown"},
    ("V1PodSpec", "restartPolicy"): {"Always", "OnFailure", "Never"},
    ("V1Toleration", "operator"): {"Exists", "Equal"},
    ("V1Toleration", "effect"): {"NoSchedule", "PreferNoSchedule", "NoExecute"},
    ("V1Container", "terminationMessagePolicy"): {"File", "FallbackToLogsOnError"},
    ("V1PodSecurityContext", "fsGroupChangePolicy"): {"OnRootMismatch", "Always"},
    ("V1SeccompProfile", "type"): {"RuntimeDefault", "Unconfined", "Localhost"},
    ("V1EmptyDirVolumeSource", "medium"): {"", "Memory", "HugePages"},
    ("V1HostPathVolumeSource", "type"): {
        "",
        "DirectoryOrCreate",
        "Directory",
        "FileOrCreate",
        "File",
        "Socket",
        "CharDevice",
        "BlockDevice",
    },
}
SIMPLE = {"str": str, "int": int, "bool": bool, "object": object}


class Loader(yaml.SafeLoader):
    """A field that is there twice loses its first value without a word."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key) for key, _ in node.value]
        if len(keys) != len(set(keys)):
            raise yaml.YAMLError(f"a field twice: {keys}")
        return super().construct_mapping(node, deep)


class Offences(list):
    def check(self, holds, what):
        if not holds:
            self.append(what)


def fields_of(model):
    """Name of each field in a manifest, and its type."""
    known = dict(NEWER.get(model, {}))
    of_package = getattr(api, model, None)
    if of_package is not None:
        known.update({name: of_package.openapi_types[key] for key, name in of_package.attribute_map.items()})
    return known


def required_of(model, value):
    if model in REQUIRED:
        return REQUIRED[model]
    of_package = getattr(api, model)
    missing = set()
    for key, name in of_package.attribute_map.items():
        if name in value:
            continue
        try:  # the setter of a required field rejects its absence
            setattr(of_package(**dict.fromkeys(of_package.openapi_types, "any")), key, None)
        except ValueError:
            missing.add(name)
    return missing


def check_type(offences, place, kind, value):
    if kind.startswith("list["):
        if not isinstance(value, list) or not value:
            offences.append(f"{place}: a list is expected")
            return
        for i, one in enumerate(value):
            check_type(offences, f"{place}[{i}]", kind[5:-1], one)
    elif kind.startswith("dict("):
        if not isinstance(value, dict):
            offences.append(f"{place}: a map is expected")
            return
        for name, one in value.items():
            check_type(offences, f"{place}.{name}", kind[5:-1].split(", ")[1], one)
    elif kind in SIMPLE:
        right = isinstance(value, SIMPLE[kind]) and (kind == "bool" or not isinstance(value, bool) or kind == "object")
        offences.check(right, f"{place}: {value!r} is not a {kind}")
    else:
        check_object(offences, place, kind, value)


def check_object(offences, place, model, value):
    if not isinstance(value, dict):
        offences.append(f"{place}: {model} is expected")
        return
    known = fields_of(model)
    for name, one in value.items():
        if name not in known:
            offences.append(f"{place}: {model} has no field {name}")
            continue
        check_type(offences, f"{place}.{name}", known[name], one)
        words = WORDS.get((model, name))
        offences.check(words is None or one in words, f"{place}.{name}: {one!r} is none of {words}")
    for name in required_of(model, value) - set(value):
        offences.append(f"{place}: {name} is missing")
