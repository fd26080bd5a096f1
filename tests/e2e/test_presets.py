"""Presets allow what the package managers are configured with, by name, and nothing else."""

import json
import os
import pwd
import shutil
import tempfile

import pytest

import names as lab_names
import sandbox

USER = pwd.getpwnam("www-data")
SCRIPT = {
    "registry.test A": ["registry.test 300 A 10.66.0.2"],
    "evil.test A": ["evil.test 300 A 10.66.0.3"],
}
POLICY = """
[egress]
presets = ["npm"]
[egress.resolve]
allow_private = ["registry.test"]
"""
TOKEN = "npm_1f6d-never-to-be-seen"


@pytest.fixture(scope="module")
def names(lab, tmp_path_factory):
    made = lab_names.Names(lab.host, tmp_path_factory.mktemp("names"), SCRIPT)
    yield made
    made.close()


@pytest.fixture
def project(lab):
    """USER's folder with a policy and an .npmrc as a hostile clone has it. Beside it is USER's own .npmrc, that
    only USER can read."""
    with tempfile.TemporaryDirectory() as outer:
        folder = os.path.join(outer, "project")
        os.mkdir(folder)
        os.chmod(outer, 0o755)
        npmrc = (f"registry=http://me:{TOKEN}@registry.test:{lab.allowed.port}/{TOKEN}/\n"
                 f"//registry.test:{lab.allowed.port}/:_authToken={TOKEN}\n")
        hostile = f"registry=http://evil.test:{lab.evil.port}/\n"
        for name, text in {"policy.toml": POLICY, ".npmrc": hostile, "../npmrc": npmrc}.items():
            path = os.path.join(folder, name)
            with open(path, "w") as file:
                file.write(text)
            os.chmod(path, 0o600)
            os.chown(path, USER.pw_uid, USER.pw_gid)
        shutil.copy(sandbox.INSIDE, folder)
        os.chmod(os.path.join(folder, "inside.py"), 0o644)
        os.chown(folder, USER.pw_uid, USER.pw_gid)
        yield folder


def users_environment(project):
    """As sudo of USER's, without the configuration of whoever runs the tests."""
    dropped = ("npm_", "pip_", "sudo_")
    return {**{k: v for k, v in os.environ.items() if not k.lower().startswith(dropped)},
            "SUDO_UID": str(USER.pw_uid), "SUDO_GID": str(USER.pw_gid), "SUDO_USER": USER.pw_name,
            "NPM_CONFIG_USERCONFIG": os.path.join(os.path.dirname(project), "npmrc")}


@pytest.fixture
def users_box(open_box, names, project):
    return open_box(options=["--policy", "policy.toml"], env=users_environment(project), tmp=project,
                    prefix=[*names.prefix(), "env", "-C", project],
                    command=["/usr/bin/python3", "-B", "inside.py"])


def test_npm_reaches_its_registry_by_name_and_no_other(lab, users_box, project):
    port = lab.allowed.port
    reached = lab.evil.counts()
    assert users_box.do("resolve", name="registry.test")["addresses"] == ["10.66.0.2"]
    assert users_box.do("connect", address="registry.test", port=port, echo=True)["echo"] is True
    assert users_box.do("connect", address="10.66.0.2", port=port + 1)["errno"] == "EPERM"
    assert users_box.do("connect", address="10.66.0.3", port=lab.evil.port)["errno"] == "EPERM"
    assert users_box.do("resolve", name="evil.test")["addresses"] == []
    assert lab.evil.counts() == reached
    listed = users_box.list()
    (rule,) = listed["rules"]
    assert rule["text"] == f"registry.test:{port}"
    users = os.path.join(os.path.dirname(project), "npmrc")
    assert rule["source"]["detail"] == f"preset npm, {users}"
    said = users_box.stderr()
    assert f"preset npm takes registry.test:{port} from {users}" in said
    assert ".npmrc: names a registry; a project file is not trusted" in said
    assert TOKEN not in json.dumps(listed)


def test_check_says_what_a_run_would_allow(lab, project):
    env = users_environment(project)
    done = sandbox.sluice("check", "policy.toml", "--json", cwd=project, env=env)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["names"] == ["registry.test"]
    assert [p["severity"] for p in answer["problems"]] == ["note", "warning"], answer
    os.unlink(env["NPM_CONFIG_USERCONFIG"])
    os.mkfifo(env["NPM_CONFIG_USERCONFIG"])
    answer = json.loads(sandbox.sluice("check", "policy.toml", "--json", cwd=project, env=env).stdout)
    assert answer["ok"] and answer["names"] == []
    texts = [p["text"] for p in answer["problems"]]
    assert any("npmrc: not a regular file" in text for text in texts), texts
    assert any("it allows nothing" in text for text in texts), texts


def test_a_ceiling_that_others_can_write_stops_a_run(lab, names, tmp_path):
    """The host's files are a copy in the test's own /etc."""
    folder = names.etc / "sluice/policy.d"
    folder.mkdir(parents=True)
    file = folder / "deny.toml"
    file.write_text('[baseline]\ndeny = ["10.66.0.2"]\n')
    run = ("run", "--name", sandbox.new_name(), "--allow", "10.66.0.2:1", "--", "true")
    try:
        file.chmod(0o666)
        done = sandbox.sluice(*run, space=lab.host, prefix=names.prefix())
        assert done.returncode == 2 and "deny.toml: error: can be written by others" in done.stderr, done
        assert "chmod go-w '/etc/sluice/policy.d/deny.toml'" in done.stderr
        file.chmod(0o644)
        done = sandbox.sluice(*run, space=lab.host, prefix=names.prefix())
        assert done.returncode == 0, done.stderr
    finally:
        shutil.rmtree(names.etc / "sluice")
